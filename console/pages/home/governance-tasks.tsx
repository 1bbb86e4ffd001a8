import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { Entries, Entry } from './entries.tsx';
import type { HomeData } from './home-query.ts';

export const hasGovernanceTasks = ({ overridesToReview, proposedChanges }: HomeData): boolean =>
  overridesToReview.length > 0 || Boolean(proposedChanges?.totalCount);

/** Overridden approvals that someone has to review, and changes that wait for a second administrator. */
export function GovernanceTasks({ of: today }: { of: HomeData }) {
  if (!hasGovernanceTasks(today)) return null;
  return (
    <Section title="Waiting for a second person">
      <Entries>
        {today.overridesToReview.map(({ id, tool, override }) => (
          <Entry
            key={id}
            to={`/approvals/${id}?show=decided`}
            title={<Untrusted text={tool} />}
            about={
              <>
                <Untrusted text={override?.by.name ?? 'A former member'} /> overrode a pending approval{' '}
                <When at={override?.at} />. Another member has to review it.
              </>
            }
            aside={<StateBadge state="overridden" label="Review override" />}
          />
        ))}
        {today.proposedChanges?.nodes.map(({ id, title, expiresAt, proposer }) => (
          <Entry
            key={id}
            to={`/organization/proposed-changes/${id}`}
            title={<Untrusted text={title} />}
            about={
              <>
                Proposed by <Untrusted text={proposer?.name ?? 'a former member'} />
              </>
            }
            aside={
              <>
                Expires <When at={expiresAt} />
              </>
            }
          />
        ))}
      </Entries>
    </Section>
  );
}
