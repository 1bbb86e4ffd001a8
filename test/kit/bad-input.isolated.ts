interface BadInput {
  action: 'echo' | 'spin' | 'heap' | 'buffers' | 'exit' | 'throw' | 'write' | 'environment' | 'never';
  value?: unknown;
}

/** Simulates every kind of bad input for the specs. */
export async function run(input: BadInput | BadInput[]): Promise<unknown> {
  if (!Array.isArray(input)) return perform(input);
  const played: unknown[] = [];
  for (const one of input) played.push(await perform(one));
  return played;
}

async function perform({ action, value }: BadInput): Promise<unknown> {
  switch (action) {
    case 'echo':
      return value;
    case 'spin':
      for (;;) Math.random();
    case 'heap':
      return exhaustMemory((size) => Array.from({ length: size / 8 }, (_, index) => ({ index })));
    case 'buffers':
      return exhaustMemory((size) => Buffer.alloc(size, 1));
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

function exhaustMemory(make: (size: number) => unknown): never {
  const kept: unknown[] = [];
  for (;;) kept.push(make(2 ** 23));
}
