import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { Entries, Entry } from './entries.tsx';
import type { Today } from './today.ts';

const shown = 3;

/** Approvals that this person can decide. The one that expires first comes first. */
export const openToMe = ({ approvals }: Today): Today['approvals']['nodes'] =>
  approvals.nodes
    .filter(({ isOpenToMe }) => isOpenToMe)
    .sort((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt));

export function Decisions({ of: today }: { of: Today }) {
  const mine = openToMe(today);
  if (!mine.length) return null;
  return (
    <Section
      title="Approvals waiting for you"
      actions={
        mine.length > shown && (
          <Anchor component={Link} to="/approvals" size="sm">
            View all {mine.length}
          </Anchor>
        )
      }
    >
      <Entries>
        {mine.slice(0, shown).map(({ id, tool, call, expiresAt }) => (
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
