const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** "1 day", "90 minutes": in the largest unit without a remainder. */
export function duration(seconds: number): string {
  const [unit, length] = units.find(([, length]) => seconds % length === 0) ?? ['second', 1];
  const count = seconds / length;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
