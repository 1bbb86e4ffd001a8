import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { Entries, Entry } from './entries.tsx';
import type { HomeData } from './home-query.ts';

const shownCount = 3;

/** Approvals that this person can decide. The one that expires first comes first. */
export const approvalsOpenToMe = ({ approvals }: HomeData): HomeData['approvals']['nodes'] =>
  approvals.nodes
    .filter(({ viewerCanDecide }) => viewerCanDecide)
    .sort((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt));

export function PendingApprovals({ of: today }: { of: HomeData }) {
  const approvalsToDecide = approvalsOpenToMe(today);
  if (!approvalsToDecide.length) return null;
  return (
    <Section
      title="Approvals waiting for you"
      actions={
        approvalsToDecide.length > shownCount && (
          <Anchor component={Link} to="/approvals" size="sm">
            View all {approvalsToDecide.length}
          </Anchor>
        )
      }
    >
      <Entries>
        {approvalsToDecide.slice(0, shownCount).map(({ id, tool, call, expiresAt }) => (
          <Entry
            key={id}
            to={`/approvals/${id}`}
            title={<Untrusted text={call.title || tool} />}
            about={<Untrusted text={tool} />}
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
