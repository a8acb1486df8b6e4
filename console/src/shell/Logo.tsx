export function Logo({ size = 26 }: { size?: number }) {
  return <img src={`${import.meta.env.BASE_URL}icon.svg`} width={size} height={size} alt="" />;
}
