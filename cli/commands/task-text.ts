import type { TaskStatus } from '../client/wire.js';
import type { Color, Output } from '../terminal/output.js';

const colors: Record<TaskStatus['state'], Color> = {
  submitted: 'dim',
  working: 'dim',
  'input-required': 'yellow',
  completed: 'green',
  failed: 'red',
  canceled: 'dim',
  rejected: 'red',
};

export const stateText = (output: Output, { state }: TaskStatus): string => output.color(colors[state], state);

export const messageText = ({ message }: TaskStatus): string => message?.parts.map(({ text }) => text).join('\n') ?? '';
