import { row } from '../output.ts';
import { arrivalsWith, check, letPeopleRead, signInRow, type StepOutcome, type Walk } from './walk.ts';

const stricter = `@id("reads")
permit (principal, action in Action::"read", resource);

@id("tickets need two people")
@approval("two-people")
permit (principal, action == Action::"workplace__create_ticket", resource);

@id("agents post nothing")
forbid (principal is Agent, action == Action::"workplace__post_message", resource);
`;

interface Outcome {
  verdict: string;
  steps: string[];
}
interface ReplayPage {
  calls: number;
  endCursor: string | null;
  changes: { callId: string; tool: string; before: Outcome; after: Outcome }[];
  notEvaluated: { callId: string; gap: string }[];
}

/** A draft of stricter policies decides the recorded calls again, before anybody publishes it. */
export async function replayStricterPolicy(walk: Walk): Promise<StepOutcome> {
  const { ada, organization, say } = walk;
  const { configurationId, baseUrl } = organization;
  const before = { revision: await liveRevision(walk), arrivals: (await arrivalsWith(walk, '')).length };
  await ada.browser.graphql('mutation ($input: SavePolicyDraftInput!) { savePolicyDraft(input: $input) { savedAt } }', {
    input: { configurationId, text: stricter },
  });
  say(row('Draft', stricter.trim()));
  const page = `${baseUrl}/console/agents/capabilities/configurations/${configurationId}/policy`;
  await letPeopleRead(
    walk,
    [row('Open', page), signInRow('   as', ada), row('Press', 'Replay recorded calls, below the draft')],
    'replays them through the API',
  );

  const pages = await replay(walk);
  const changes = pages.flatMap((one) => one.changes);
  for (const [change, count] of countsOf(changes)) say(row(`${count} would change`, change));
  const after = { revision: await liveRevision(walk), arrivals: (await arrivalsWith(walk, '')).length };
  const changesOf = (tool: string) => changes.filter((change) => change.tool === `workplace__${tool}`);
  return {
    checks: [
      check(
        'every recorded call was decided again',
        pages.every(({ notEvaluated }) => notEvaluated.length === 0),
      ),
      check(
        'three tickets would need two people instead of one',
        changesOf('create_ticket').length === 3 &&
          changesOf('create_ticket').every(
            (change) => change.before.steps.join() === 'review' && change.after.steps.join() === 'two-people',
          ),
      ),
      check(
        'one announcement would be denied',
        changesOf('post_message')
          .map((change) => change.after.verdict)
          .join() === 'deny',
      ),
      check('nothing was published and no call ran', JSON.stringify(before) === JSON.stringify(after)),
    ],
    facts: { calls: pages.reduce((sum, { calls }) => sum + calls, 0), changes, revision: after.revision },
  };
}

async function replay({ ada, organization }: Walk): Promise<ReplayPage[]> {
  const pages: ReplayPage[] = [];
  for (let after: string | null = null; ;) {
    const { replayPolicy }: { replayPolicy: ReplayPage } = await ada.browser.graphql(
      `query ($configurationId: ID!, $text: String!, $after: String) {
        replayPolicy(configurationId: $configurationId, text: $text, after: $after) {
          calls endCursor notEvaluated { callId gap }
          changes { callId tool before { verdict steps } after { verdict steps } } } }`,
      { configurationId: organization.configurationId, text: stricter, after },
    );
    pages.push(replayPolicy);
    after = replayPolicy.endCursor;
    if (!after) return pages;
  }
}

function countsOf(changes: ReplayPage['changes']): Map<string, number> {
  const counts = new Map<string, number>();
  const textOf = ({ verdict, steps }: Outcome) => [verdict, ...steps].join(' ');
  for (const { tool, before, after } of changes) {
    const change = `${tool}: ${textOf(before)} → ${textOf(after)}`;
    counts.set(change, (counts.get(change) ?? 0) + 1);
  }
  return counts;
}

async function liveRevision({ ada, organization }: Walk): Promise<number> {
  const { policy } = await ada.browser.graphql<{ policy: { current: { revision: number } } }>(
    'query ($id: ID!) { policy(configurationId: $id) { current { revision } } }',
    { id: organization.configurationId },
  );
  return policy.current.revision;
}
