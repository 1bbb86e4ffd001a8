import { ProtocolError, ProtocolErrorCode, type Result, Server } from '@modelcontextprotocol/server';

type Handler = Parameters<Server['_wrapHandler']>[1];

/**
 * The SDK refuses a request that does not have the form of its method with an internal error, and the words of its schema
 * library. It is the client's mistake, and told as that.
 */
export class CheckedServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, ctx) => {
      try {
        return withoutContentOfTask(await wrapped(request, ctx));
      } catch (error) {
        if (error instanceof ProtocolError) throw error; // handlers of ours throw nothing else
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `Invalid params for ${method}: ${firstSchemaIssue(error)}`,
        );
      }
    };
  }
}

/** The SDK takes a task for the result of a tool that lacks its content, and gives it some. */
function withoutContentOfTask(result: Result): Result {
  if (result.resultType !== 'task') return result;
  const { content: _, ...task } = result;
  return task;
}

/** The first of the schema's complaints. */
function firstSchemaIssue(error: unknown): string {
  try {
    const [{ path, message }] = JSON.parse((error as Error).message) as [{ path: unknown[]; message: string }];
    return `${path.join('.')}: ${message}`;
  } catch {
    return 'the request does not have the form of its method';
  }
}
