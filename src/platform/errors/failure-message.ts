/** The message of any thrown value. */
export const failureMessageOf = (error: unknown): string =>
  (error as Partial<Error> | null)?.message || 'Unknown error.';
