/** One of a few, all in sight. Radio buttons, so that arrow keys move and a screen reader counts. */
export function Segmented<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly word: string }[];
  onChange(value: Value): void;
}) {
  return (
    <fieldset className="inline-flex flex-none gap-px rounded-[7px] bg-hover p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="grid h-6 items-center rounded-[5px] px-2.5 text-small max-[22.4rem]:px-2 font-medium whitespace-nowrap text-ink-2 has-checked:bg-raised has-checked:text-ink has-checked:shadow-[0_0_0_1px_var(--line),var(--e1)] has-focus-visible:outline-2 has-focus-visible:outline-focus max-md:h-8"
        >
          <input
            type="radio"
            className="sr-only"
            name={label}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.word}
        </label>
      ))}
    </fieldset>
  );
}
