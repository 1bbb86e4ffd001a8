import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Reply, startModelSimulator } from './simulator.ts';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '8099' }, script: { type: 'string' }, 'api-key': { type: 'string' } },
});
const script = values.script ? (JSON.parse(readFileSync(values.script, 'utf8')) as Reply[]) : [];
const simulator = await startModelSimulator({ port: Number(values.port), script, apiKey: values['api-key'] });
console.log(`A simulated model listens on ${simulator.url}, model name "simulated".`);
process.once('SIGINT', () => void simulator.close());
process.once('SIGTERM', () => void simulator.close());
