import { type Fixture, pause, text } from '../fixture.ts';

/** What is heard of a call before its result: log lines, progress, and streams that end early. */
export const onTheWay: Record<string, Fixture> = {
  test_tool_with_logging: {
    description: 'Writes three lines to the log of its caller.',
    call: async ({ context }) => {
      await context.mcpReq.log('info', 'Tool execution started');
      await pause();
      await context.mcpReq.log('info', 'Tool processing data');
      await pause();
      await context.mcpReq.log('info', 'Tool execution completed');
      return text('Three lines were written.');
    },
  },
  test_logging_tool: {
    description: 'Writes to the log of callers that asked for it.',
    call: async ({ context }) => {
      await context.mcpReq.log('info', 'heard by who asked for a level');
      return text('One line was written for who asked for it.');
    },
  },
  test_tool_with_progress: {
    description: 'Tells three times how far it is, where the caller wants to know.',
    call: async ({ context }) => {
      const { _meta: meta, notify } = context.mcpReq;
      for (const progress of [0, 50, 100]) {
        if (progress) await pause();
        if (meta?.progressToken === undefined) continue;
        const params = { progressToken: meta.progressToken, progress, total: 100, message: `${progress} of 100` };
        await notify({ method: 'notifications/progress', params });
      }
      return text('All the way.');
    },
  },
  test_streaming_elicitation: {
    description: 'Answers with nothing but its result on the stream.',
    call: () => text('Nothing was asked on the way.'),
  },
  test_reconnection: {
    description: 'Ends the stream of the call, and answers who comes back for it.',
    call: async ({ context }) => {
      context.http?.closeSSE?.();
      await pause(100);
      return text('The result of a call whose stream had ended.');
    },
  },
};
