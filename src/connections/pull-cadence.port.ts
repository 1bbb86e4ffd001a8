const seconds = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Converts a cadence such as "15m" to seconds. */
export function cadenceSeconds(cadence: string): number {
  const match = /^(\d+)([smhd])$/.exec(cadence);
  if (!match) throw new Error(`"${cadence}" is not a cadence such as "15m" or "1d"`);
  return Number(match[1]) * seconds[match[2] as keyof typeof seconds];
}
