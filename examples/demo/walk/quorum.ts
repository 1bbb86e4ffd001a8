import { row } from '../output.ts';
import { followToTheEnd } from '../story.ts';
import {
  approveOnPage,
  arrivalsWith,
  auditEventsOf,
  check,
  letPeopleAct,
  loadApproval,
  type Participant,
  requestCall,
  signInRow,
  type StepOutcome,
  type Walk,
} from './walk.ts';

const text = 'Line 3 stands still from 18:00 to 19:00 for a recalibration.';

/** A message to everybody needs the approval of two people. */
export async function approveByTwo(walk: Walk): Promise<StepOutcome> {
  const { agent, grace, milo, say } = walk;
  const { task, approvalId, path, url } = await requestCall(walk, 'post an announcement', {
    tool: 'workplace__post_message',
    arguments: { channel: 'announcements', text },
  });
  const arrivalsBetween: number[] = [];
  const approve = async (participant: Participant) => {
    const { state, approvedBy } = await loadApproval(participant, approvalId);
    const hasVoted = approvedBy.some(({ name }) => name === participant.name);
    if (state !== 'pending' || hasVoted) return; // in a browser, a moment before
    arrivalsBetween.push((await arrivalsWith(walk, text)).length);
    await approveOnPage(participant, path);
    say(row('Approved', `by ${participant.name}`));
  };
  const completed = await letPeopleAct(walk, {
    rows: [
      row('Decide', `twice, at ${url}: each person in a browser window of their own, one of them private`),
      ...[grace, milo].map((participant, index) => signInRow(`${index + 1}. Approve as`, participant)),
    ],
    act: async () => {
      for (const participant of [grace, milo]) await approve(participant);
    },
    done: () => followToTheEnd(agent, task, say),
  });

  const arrivals = await arrivalsWith(walk, text);
  const votes = (await auditEventsOf(walk, approvalId)).filter(({ kind }) =>
    ['approval.voted', 'approval.approved'].includes(kind),
  );
  const [, second] = votes;
  return {
    checks: [
      check('the audit log has two votes', votes.map(({ kind }) => kind).join() === 'approval.voted,approval.approved'),
      check('of two people', new Set(votes.map(({ actor }) => actor.name)).size === 2),
      check(
        'the first vote ran nothing',
        arrivalsBetween.every((count) => count === 0) && arrivals.every(({ at }) => second && at >= second.at),
      ),
      check('the task completed after the second vote', completed.states.at(-1) === 'completed'),
      check('the message was posted exactly once', arrivals.length === 1),
    ],
    facts: { states: completed.states, votes },
  };
}
