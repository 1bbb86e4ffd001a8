import { parseArgs } from 'node:util';
import { type Era, everything } from './server.ts';

/** `node test/everything/main.ts [--port 3000] [--era modern|legacy|both]`: says where it is, and goes when its input ends. */
const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, era: { type: 'string', default: 'both' } },
});
const { url, close } = await everything({ port: Number(values.port), era: values.era as Era });
process.stdout.write(`${JSON.stringify({ url })}\n`);
process.stdin.resume().on('end', () => void close().then(() => process.exit(0)));
