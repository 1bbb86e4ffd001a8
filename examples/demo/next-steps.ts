import type { Organization } from './organization.ts';
import type { Say } from './output.ts';
import { reportQuery, storedRange } from './spend.ts';

/** Prints how to continue by hand: sign in, commands to copy. */
export function printNextSteps(created: Organization, say: Say): void {
  const { a2aUrl, key, baseUrl, productClientId, requester, estateKey } = created;
  say(`
Next steps
  Sign in as ${requester.email}, password ${requester.password}

  Console                     ${baseUrl}/console
  GraphQL for administrators  ${baseUrl}/graphiql

  Read the agent card, send a task, get it:
    curl -s ${a2aUrl}/.well-known/agent.json -H 'Authorization: Bearer ${key}'
    curl -s ${a2aUrl}/tasks/send -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
      -d '{"id":"mine-1","message":{"role":"user","parts":[{"text":"How many working days does the security check take?"}]}}'
    curl -s ${a2aUrl}/tasks/mine-1 -H 'Authorization: Bearer ${key}'

  Connect a product, in another terminal:
    npm run product -- --countersign ${baseUrl} --client ${productClientId}

  Connect an assistant over MCP:
${assistantSteps(created)}`);
  if (!estateKey) return;
  say(`
  Query spend by group and month, in GraphiQL:
    ${reportQuery()}

  Download spend as a FOCUS 1.2 file:
    ${baseUrl}/console/exports/focus.csv?from=${storedRange().from}&to=${storedRange().to}

  Upload the AI client configuration of this machine:
    COUNTERSIGN_URL=${baseUrl} COUNTERSIGN_KEY=${estateKey} sh examples/estate-upload.sh`);
}

function assistantSteps({ baseUrl, configurationId, assistantClientId }: Organization): string {
  const page = `${baseUrl}/configurations/${configurationId}/assistants`;
  if (!assistantClientId) return `    Open ${page}`;
  return `    claude mcp add --transport http --client-id ${assistantClientId} --callback-port 8976 support-desk ${baseUrl}/v1/mcp
    claude mcp login support-desk
    Claude, Cursor, VS Code, Codex, Gemini: ${page}`;
}
