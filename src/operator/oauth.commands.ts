import type { Command } from 'commander';
import { publishedSeconds, SigningKeysService } from '../oauth/signing-keys.service.js';
import type { CommandEnvironment } from './command-application.js';

/** The keys of the authorization server, which belong to the installation, not to an organization. */
export function addOauthCommands(oauth: Command, { print, openApplication }: CommandEnvironment): void {
  oauth
    .command('rotate-keys')
    .description('create a new signing key; servers may keep running')
    .option('--leaked', 'the current keys have leaked: stop trusting them')
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
  `Key ${kid} is published. It starts signing within ${publishedSeconds / 60} minutes, and earlier keys are removed a day later. No further steps are needed.`;

const replacedMessage = (kid: string) => `Key ${kid} is now the only key. All processes sign with it within a minute.`;
