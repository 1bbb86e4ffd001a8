import { row } from '../output.ts';
import { followToTheEnd } from '../story.ts';
import { textOf } from './slack-workspace.ts';
import {
  arrivalsWith,
  auditEventsOf,
  check,
  letPeopleAct,
  loadApproval,
  requestCall,
  type StepOutcome,
  type Walk,
} from './walk.ts';

const title = 'Replace the gripper pads of robot 7';

/** Grace presses a button in Slack. Only requests that Slack signed count. */
export async function approveInSlack(walk: Walk): Promise<StepOutcome> {
  const { agent, grace, slack, say } = walk;
  const { task, approvalId } = await requestCall(walk, 'open a second ticket', {
    tool: 'workplace__create_ticket',
    arguments: { title, priority: 'high' },
  });
  const message = await slack.messageOn(approvalId);
  const shown = textOf(message);

  const forged = await slack.press(message, 'approve', 'f'.repeat(32));
  const afterForgery = await loadApproval(grace, approvalId);
  say(row('Forgery', `a click with a wrong signature got status ${forged.status}`));

  const completed = await letPeopleAct(walk, {
    rows: [row('Decide', `press Approve in the message at ${slack.url}, where you are ${grace.name}`)],
    act: async () => {
      const answer = await slack.press(message, 'approve');
      if (!answer.ok) throw new Error(`the click was refused: ${await answer.text()}`);
    },
    done: () => followToTheEnd(agent, task, say),
  });

  const approved = (await auditEventsOf(walk, approvalId)).find(({ kind }) => kind === 'approval.approved');
  return {
    checks: [
      check(
        'the message shows the tool and every argument',
        ['workplace__create_ticket', title, '"high"'].every((part) => shown.includes(part)),
      ),
      check(
        'a request with a wrong signature was refused and decided nothing',
        forged.status === 401 && afterForgery.state === 'pending',
      ),
      check('the task completed after the click', completed.states.at(-1) === 'completed'),
      check('the ticket arrived exactly once', (await arrivalsWith(walk, title)).length === 1),
      check(
        `the audit log says that ${grace.name} decided in Slack`,
        approved?.actor.name === grace.name && approved.detail.decidedIn === 'slack',
      ),
    ],
    facts: { message: shown, states: completed.states, event: approved },
  };
}
