import type { Command } from 'commander';
import { publishedSeconds, SigningKeysService } from '../oauth/signing-keys.service.js';
import type { CommandEnvironment } from './command-application.js';

/** The authorization server's own keys, which belong to the installation and to no organization. */
export function addOauthCommands(oauth: Command, { print, openApplication }: CommandEnvironment): void {
  oauth
    .command('rotate-keys')
    .description('a new signing key, beside running servers')
    .option('--leaked', 'the present ones have leaked: believe them no longer')
    .action(async ({ leaked }: { leaked?: true }) => {
      const app = await openApplication();
      try {
        const keys = app.get(SigningKeysService);
        print(leaked ? replacedMessage(await keys.replaceAll()) : rotatedMessage(await keys.rotate()));
      } finally {
        await app.close();
      }
    });
}

const rotatedMessage = (kid: string) =>
  `Key ${kid} is published. It signs within ${publishedSeconds / 60} minutes, and any key before it goes a day later. There is nothing else to do.`;

const replacedMessage = (kid: string) => `Key ${kid} is the only one. Every process signs with it within a minute.`;
