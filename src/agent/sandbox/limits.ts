/* Limits for one message to the sandbox. */

export const sandboxLimits = { seconds: 3600, steps: 500, kilobytes: 512, artifacts: 50 } as const;

/** The task fails with this message. */
export class SandboxLimitError extends Error {
  constructor(detail: string) {
    super(detail);
    this.name = 'OutOfBounds';
  }
}

export function assertWithinLimit(value: number, most: number, what: string): number {
  if (value <= most) return value;
  throw new SandboxLimitError(`The request exceeds a limit of the sandbox: at most ${most} ${what}, not ${value}.`);
}
