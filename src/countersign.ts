import { operatorCommands } from './operator/commands.js';
import { ConfigError } from './platform/config/config.js';

try {
  await operatorCommands((line) => void process.stdout.write(`${line}\n`)).parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : (error as Error).message}\n`);
  process.exit(1);
}
