import { useParams } from 'react-router';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../../api/change-events.ts';
import { Facts } from '../../../kit/facts.tsx';
import { Loaded } from '../../../kit/loaded.tsx';
import { useMe } from '../../../kit/me.tsx';
import { Page } from '../../../kit/page.tsx';
import { Section } from '../../../kit/section.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { visible } from '../../../kit/visible.ts';
import { When } from '../../../kit/when.tsx';
import { type Change, changeQuery } from './change-query.ts';
import { ChangedFields } from './changed-fields.tsx';
import { ChangeDecision } from './change-decision.tsx';

export function Component() {
  const { id } = useParams();
  const { member } = useMe();
  const [result, reload] = useQuery({ query: changeQuery, variables: { id: id! } });
  const refetch = () => reload({ requestPolicy: 'network-only' });
  useChangeEvents('organization', refetch);
  return (
    <Loaded result={result} refetch={reload}>
      {({ proposedChange: change }) => (
        <Page
          title={visible(change.title)}
          trail={[['Proposed changes', '/organization/proposed-changes']]}
          actions={<StateBadge state={change.state} />}
        >
          <Section title="Proposal">
            <ChangeFacts change={change} />
          </Section>
          <Section title="Differences" lead="Confirming applies exactly these differences.">
            <ChangedFields fields={change.fields} />
          </Section>
          {change.state === 'open' && (
            <ChangeDecision change={change} isProposer={change.proposedBy === member.id} onDone={refetch} />
          )}
        </Page>
      )}
    </Loaded>
  );
}

const ChangeFacts = ({ change }: { change: Change }) => (
  <Facts
    facts={[
      ['Proposed by', <Untrusted key="by" text={change.proposer?.name ?? 'a former member'} />],
      ['Proposed', <When key="at" at={change.proposedAt} />],
      ['Reason', change.reason === null ? 'None given' : <Untrusted key="reason" text={change.reason} />],
      ['Expires', change.state === 'open' && <When key="expires" at={change.expiresAt} />],
      ['Closed', change.decidedAt && <When key="closed" at={change.decidedAt} />],
      ['Decided by', change.decider && <Untrusted key="decider" text={change.decider.name} />],
      ['Explanation', change.decisionNote && <Untrusted key="note" text={change.decisionNote} />],
    ]}
  />
);
