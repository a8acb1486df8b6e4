/** As rowsets write dates: `1/31/2026 9:30:00 AM`. */
const AMERICAN =
  /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: (\d{1,2}):(\d\d):(\d\d)(?:\.(\d{1,7}))? ?([AP]M)?)?$/i;

/**
 * A date of Marketing Cloud as ISO 8601 without an offset: it is of the account's clock (US Central without daylight
 * saving), and nothing in the rowset says so. What is no such date is left as it is.
 */
export function isoDate(text: string): string {
  const [, month, day, year, hour, minute, second, fraction, half] = AMERICAN.exec(text) ?? [];
  if (month === undefined || day === undefined) return text;
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (hour === undefined) return date;
  const digits = fraction?.replace(/0+$/, '') ?? '';
  const time = `${hourOf(Number(hour), half)}:${minute}:${second}`;
  return `${date}T${time}${digits === '' ? '' : `.${digits}`}`;
}

function hourOf(hour: number, half: string | undefined): string {
  const ofDay = half === undefined ? hour : (hour % 12) + (half.toUpperCase() === 'PM' ? 12 : 0);
  return String(ofDay).padStart(2, '0');
}
