import { heading, row } from '../output.ts';
import { findChangedAuditRow } from './audit.ts';
import { editAndApprove } from './edit.ts';
import { approveByMail } from './mail-link.ts';
import { approveByTwo } from './quorum.ts';
import { replayStricterPolicy } from './replay.ts';
import { approveInSlack } from './slack.ts';
import { check, type StepOutcome, type Walk } from './walk.ts';

interface Step {
  title: string;
  what: string;
  run: (walk: Walk) => Promise<StepOutcome>;
}
export interface StepResult {
  step: number;
  title: string;
  verified: string[];
  failed: string[];
  facts: Record<string, unknown>;
}

const steps: Step[] = [
  {
    title: 'Approve from an email',
    what: 'An external agent asks for a ticket. The policy requires an approval, so the call waits, and the approvers get an email with a signed link. Opening the link decides nothing; a signed-in person does.',
    run: approveByMail,
  },
  {
    title: 'Approve in Slack',
    what: 'The step “review” may be decided in Slack. The message shows the tool and every argument, and its buttons count only in requests that Slack has signed, for people who linked their account.',
    run: approveInSlack,
  },
  {
    title: 'A quorum of two',
    what: 'The agent wants to post an announcement, for which the policy requires the step “two-people”. The first approval runs nothing.',
    run: approveByTwo,
  },
  {
    title: 'Edit the arguments',
    what: 'The agent asks for an urgent ticket. Grace finds it less urgent and edits the call instead of denying it. Editors become requesters, so Milo has to approve it.',
    run: editAndApprove,
  },
  {
    title: 'Replay a stricter policy',
    what: 'Ada drafts stricter policies and lets them decide the recorded calls of this walk again. She sees what would change before she publishes anything.',
    run: replayStricterPolicy,
  },
  {
    title: 'A changed audit row',
    what: 'Somebody with full access to the database changes who approved a call. The audit log is sealed, so the verifier names the changed event, offline and with nothing but an export.',
    run: findChangedAuditRow,
  },
];

export async function runSteps(walk: Walk): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const [index, { title, what, run }] of steps.entries()) {
    walk.say(heading(`Step ${index + 1} of ${steps.length}: ${title}`));
    walk.say(row('', what));
    const { checks, facts } = await run(walk).catch(({ message }: Error) => ({
      checks: [check(`the step ended early: ${message}`, false)],
      facts: {},
    }));
    for (const { statement, isTrue } of checks) walk.say(row(isTrue ? 'Verified' : 'NOT TRUE', statement));
    const statements = (isTrue: boolean) =>
      checks.filter((each) => each.isTrue === isTrue).map(({ statement }) => statement);
    results.push({ step: index + 1, title, verified: statements(true), failed: statements(false), facts });
  }
  return results;
}
