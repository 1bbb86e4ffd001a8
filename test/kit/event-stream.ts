/** Yields the blocks of a stream of server-sent events as they arrive. */
export async function* eventBlocks(response: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop()!;
    yield* blocks;
  }
}
