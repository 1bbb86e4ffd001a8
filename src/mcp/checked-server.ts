import { ProtocolError, ProtocolErrorCode, type Result, Server } from '@modelcontextprotocol/server';

type Handler = Parameters<Server['_wrapHandler']>[1];

/**
 * The SDK answers a request that fails its method's schema with an internal error and the text of its schema library.
 * The client made the mistake, so this server reports invalid params.
 */
export class CheckedServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, ctx) => {
      try {
        return withoutContentOfTask(await wrapped(request, ctx));
      } catch (error) {
        if (error instanceof ProtocolError) throw error; // our handlers throw nothing else
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `Invalid params for ${method}: ${firstSchemaIssue(error)}`,
        );
      }
    };
  }
}

/** The SDK mistakes a task for a tool result without content and adds an empty `content`. */
function withoutContentOfTask(result: Result): Result {
  if (result.resultType !== 'task') return result;
  const { content: _, ...task } = result;
  return task;
}

function firstSchemaIssue(error: unknown): string {
  try {
    const [{ path, message }] = JSON.parse((error as Error).message) as [{ path: unknown[]; message: string }];
    return `${path.join('.')}: ${message}`;
  } catch {
    return 'the request does not match the schema of its method';
  }
}
