/** Style of a field for one line in a monospaced font. At a fixed height, Chromium cuts off the underscores. */
export const monospaceInput = { fontFamily: 'var(--mantine-font-family-monospace)', height: 'auto' } as const;
