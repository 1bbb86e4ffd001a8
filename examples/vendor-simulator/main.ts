import { parseArgs } from 'node:util';
import { startSimulator } from './simulator.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8097' },
    seed: { type: 'string', default: '1' },
    people: { type: 'string', default: '25' },
    days: { type: 'string', default: '90' },
    today: { type: 'string' },
    limits: { type: 'boolean', default: false },
    faults: { type: 'boolean', default: false },
  },
});
const simulator = await startSimulator({
  port: Number(values.port),
  seed: Number(values.seed),
  people: Number(values.people),
  days: Number(values.days),
  today: values.today,
  limits: values.limits ? {} : undefined,
  hasFaultSwitch: values.faults,
});
console.log(`A simulated vendor of a coding assistant listens on ${simulator.url}, key ${simulator.key}.`);
process.once('SIGINT', () => void simulator.close());
process.once('SIGTERM', () => void simulator.close());
