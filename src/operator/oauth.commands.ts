import type { Command } from 'commander';
import { publishedSeconds, SigningKeys } from '../oauth/signing-keys.service.js';
import type { Surroundings } from './house.js';

/** The authorization server's own keys, which belong to the installation and to no organization. */
export function addOauthCommands(oauth: Command, { say, openHouse }: Surroundings): void {
  oauth
    .command('rotate-keys')
    .description('a new signing key, beside running servers')
    .option('--leaked', 'the present ones have leaked: believe them no longer')
    .action(async ({ leaked }: { leaked?: true }) => {
      const house = await openHouse();
      try {
        const keys = house.get(SigningKeys);
        say(leaked ? replaced(await keys.replaceAll()) : rotated(await keys.rotate()));
      } finally {
        await house.close();
      }
    });
}

const rotated = (kid: string) =>
  `Key ${kid} is published. It signs within ${publishedSeconds / 60} minutes, and any key before it goes a day later. There is nothing else to do.`;

const replaced = (kid: string) => `Key ${kid} is the only one. Every process signs with it within a minute.`;
