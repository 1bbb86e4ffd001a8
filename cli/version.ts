import packageFile from './package.json' with { type: 'json' };

export const cliVersion: string = packageFile.version;
