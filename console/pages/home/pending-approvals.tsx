import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { Entries, Entry } from './entries.tsx';
import type { HomeData } from './home-query.ts';

const shownCount = 5;

interface Caller {
  name: string;
}

/** The one that expires first comes first. */
const byExpiry = ({ approvalsToDecide }: HomeData) =>
  approvalsToDecide.nodes.toSorted((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt));

export function PendingApprovals({ of: today }: { of: HomeData }) {
  const { totalCount } = today.approvalsToDecide;
  if (!totalCount) return null;
  return (
    <Section
      title="Approvals waiting for you"
      actions={
        totalCount > shownCount && (
          <Anchor component={Link} to="/approvals" size="sm">
            View all {totalCount}
          </Anchor>
        )
      }
    >
      <Entries>
        {byExpiry(today)
          .slice(0, shownCount)
          .map(({ id, tool, task, call, expiresAt }) => (
            <Entry
              key={id}
              to={`/approvals/${id}`}
              title={<Untrusted text={call.title || tool} />}
              about={
                <>
                  Requested by <Untrusted text={(call.caller as Caller).name} />
                  {task?.question && (
                    <>
                      {' for '}“<Untrusted text={task.question} />”
                    </>
                  )}
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
