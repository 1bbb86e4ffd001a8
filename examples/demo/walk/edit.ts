import { row } from '../output.ts';
import { followToTheEnd } from '../story.ts';
import {
  approveOnPage,
  arrivalsWith,
  check,
  letPeopleAct,
  loadApproval,
  requestCall,
  signInRow,
  type StepOutcome,
  type Walk,
} from './walk.ts';

const title = 'Order a spare drive for conveyor 2';
const requested = { title, priority: 'urgent' };
const edited = { title, priority: 'normal' };

/** Grace lowers the priority instead of denying the call. Then somebody else has to approve it. */
export async function editAndApprove(walk: Walk): Promise<StepOutcome> {
  const { agent, grace, milo, organization, mailbox, say } = walk;
  const { task, approvalId, url } = await requestCall(walk, 'open an urgent ticket', {
    tool: 'workplace__create_ticket',
    arguments: requested,
  });
  let editorsApproval: string | undefined;

  const completed = await letPeopleAct(walk, {
    rows: [
      row(
        '1. Edit',
        `at ${organization.baseUrl}/console/approvals/${approvalId}: Edit arguments, priority normal, Check edit, Save edited call`,
      ),
      signInRow('   as', grace),
      row('2. Approve', `from the new email at ${mailbox.url}, or at ${url}, which leads to the edited call`),
      signInRow('   as', milo),
    ],
    act: async () => {
      if ((await loadApproval(grace, approvalId)).state === 'pending') await editPriority(walk, approvalId);
      const { successorId } = await loadApproval(grace, approvalId);
      editorsApproval = await grace.browser
        .graphql('mutation ($input: DecideApprovalInput!) { decideApproval(input: $input) { state } }', {
          input: { id: successorId, decision: 'approve', ...(await hashesOf(walk, successorId!)) },
        })
        .then(() => 'accepted')
        .catch((error: Error) => error.message.replace(/ \{.*/, ''));
      say(row('Her approval', editorsApproval));
      await approveOnPage(milo, await mailbox.linkTo(successorId!, milo.email));
      say(row('Approved', `by ${milo.name}`));
    },
    done: () => followToTheEnd(agent, task, say),
  });

  const original = await loadApproval(grace, approvalId);
  const arrivals = await arrivalsWith(walk, title);
  const approved = (await approvalsOfCall(walk, original.callId)).find(({ state }) => state === 'approved');
  const received = JSON.stringify(completed.artifacts);
  return {
    checks: [
      check('the approval of the original call is void', original.state === 'void'),
      check(
        'the editor is a requester of the edited call and could not approve it',
        approved?.requestedBy.some(({ name }) => name === grace.name) === true && editorsApproval !== 'accepted',
      ),
      check(
        `the edited call ran after ${milo.name} had approved it`,
        approved?.decider.name === milo.name && completed.states.at(-1) === 'completed',
      ),
      check(
        'only the edited arguments arrived, once',
        arrivals.length === 1 && JSON.stringify(arrivals[0].arguments) === JSON.stringify(edited),
      ),
      check('the agent learned who edited what', received.includes(grace.name) && received.includes('priority')),
    ],
    facts: { requested, arrived: arrivals.map((arrival) => arrival.arguments), editorsApproval, approved },
  };
}

async function editPriority(walk: Walk, approvalId: string): Promise<void> {
  await walk.grace.browser.graphql('mutation ($input: EditCallInput!) { editCall(input: $input) { state } }', {
    input: { approvalId, arguments: JSON.stringify(edited), ...(await hashesOf(walk, approvalId)) },
  });
  walk.say(row('Edited', `by ${walk.grace.name}: priority ${requested.priority} → ${edited.priority}`));
}

interface EditedApproval {
  id: string;
  state: string;
  requestedBy: { name: string }[];
  decider: { name: string };
}
async function approvalsOfCall({ grace }: Walk, callId: string): Promise<EditedApproval[]> {
  const { approvals } = await grace.browser.graphql<{ approvals: { nodes: EditedApproval[] } }>(
    'query ($callId: ID!) { approvals(callId: $callId) { nodes { id state requestedBy { name } decider { name } } } }',
    { callId },
  );
  return approvals.nodes;
}

/** They state which call was seen. */
async function hashesOf({ grace }: Walk, approvalId: string) {
  const { argumentsHash, definitionHash } = (await loadApproval(grace, approvalId)).call;
  return { argumentsHash, definitionHash };
}
