import packageFile from './package.json' with { type: 'json' };

export const cliVersion: string = packageFile.version;

/** The version of the interface below `/cli` that this command line uses. The server compares it. */
export const protocolVersion = 1;

/** Shown to the person who connects this terminal, and in lists of terminals. */
export const userAgent = `countersign/${cliVersion} (${process.platform}; node ${process.versions.node})`;
