import { row } from '../output.ts';
import { followToTheEnd } from '../story.ts';
import {
  approveOnPage,
  arrivalsWith,
  auditEventsOf,
  check,
  letPeopleAct,
  loadApproval,
  requestCall,
  signInRow,
  type StepOutcome,
  type Walk,
} from './walk.ts';

const title = 'Recalibrate torque sensors of line 3';
const visits = 10;

/** Grace approves from the link in her email. Opening the link decides nothing. */
export async function approveByMail(walk: Walk): Promise<StepOutcome> {
  const { agent, grace, mailbox, say } = walk;
  const { task, approvalId } = await requestCall(walk, 'open a ticket', {
    tool: 'workplace__create_ticket',
    arguments: { title, description: 'Two of six sensors failed the morning check.' },
  });
  const link = await mailbox.linkTo(approvalId, grace.email);

  // as mail scanners and link previews do; the last visit is Grace's own, in her session
  for (let visit = 0; visit < visits; visit++) await fetch(link, { redirect: 'manual' });
  await grace.browser.open(link);
  const visited = await loadApproval(grace, approvalId);
  say(row('Mail scanner', `opened the link ${visits} times; the approval is still ${visited.state}`));

  const completed = await letPeopleAct(walk, {
    rows: [
      row('1. Read', `the email to ${grace.name} at ${mailbox.url}`),
      signInRow('2. Sign in', grace),
      row('3. Decide', 'open the link in the email, and approve'),
    ],
    act: async () => void (await approveOnPage(grace, link)),
    done: () => followToTheEnd(agent, task, say),
  });

  const again = await grace.browser.open(link);
  const events = await auditEventsOf(walk, approvalId);
  const approved = events.find(({ kind }) => kind === 'approval.approved');
  return {
    checks: [
      check(
        `${visits + 1} requests with GET decided nothing`,
        visited.state === 'pending' && !visited.approvedBy.length,
      ),
      check('the task completed after the decision', completed.states.at(-1) === 'completed'),
      check('the ticket arrived exactly once', (await arrivalsWith(walk, title)).length === 1),
      check(
        `the audit log says that ${grace.name} decided from the link in the email`,
        approved?.actor.name === grace.name && approved.detail.openedFrom === 'email link',
      ),
      check('the link is used up', again.status === 403),
    ],
    facts: { link, states: completed.states, event: approved, openedAgain: again.status },
  };
}
