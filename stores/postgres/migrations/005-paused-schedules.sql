-- A schedule that someone has paused: its ticks are passed over until it is resumed.
ALTER TABLE millrace.schedules
  ADD COLUMN paused_at timestamptz,
  ADD COLUMN paused_by text;
