const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;
const figure = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** "2.5 h", "40 s"; a dash where unknown. */
export function elapsed(seconds: number | null): string {
  if (seconds === null) return '–';
  const [unit, length] = units.find(([, length]) => seconds >= length) ?? ['s', 1];
  return `${figure.format(seconds / length)} ${unit}`;
}
