interface Input {
  act: 'echo' | 'spin' | 'heap' | 'buffers' | 'exit' | 'throw' | 'write' | 'environment' | 'never';
  value?: unknown;
}

/** Plays input of every bad kind, for the specs. */
export async function run(input: Input | Input[]): Promise<unknown> {
  if (!Array.isArray(input)) return play(input);
  const played: unknown[] = [];
  for (const one of input) played.push(await play(one));
  return played;
}

async function play({ act, value }: Input): Promise<unknown> {
  switch (act) {
    case 'echo':
      return value;
    case 'spin':
      for (;;) Math.random();
    case 'heap':
      return grow((size) => Array.from({ length: size / 8 }, (_, index) => ({ index })));
    case 'buffers':
      return grow((size) => Buffer.alloc(size, 1));
    case 'exit':
      return process.exit(3);
    case 'throw':
      throw new RangeError('the input is out of range');
    case 'write':
      return (await import('node:fs')).writeFileSync(String(value), 'written');
    case 'environment':
      return Object.keys(process.env);
    case 'never':
      return new Promise(() => {});
  }
}

function grow(make: (size: number) => unknown): never {
  const kept: unknown[] = [];
  for (;;) kept.push(make(2 ** 23));
}
