/** Kinds of objects that the console shows; also the event names. */
export const consoleEventKinds = [
  'approval',
  'task',
  'call',
  'connection',
  'configuration',
  'policy',
  'source',
  'spend',
  'estate',
  'client',
  'organization',
] as const;
export type ConsoleEventKind = (typeof consoleEventKinds)[number];
