import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { Entries, Entry } from './entries.tsx';
import type { HomeData } from './home-query.ts';

export const hasProposals = ({ permitProposals }: HomeData): boolean => Boolean(permitProposals?.nodes.length);

/** Permits for calls that were approved ten times in a row. */
export function PermitSuggestions({ of: today }: { of: HomeData }) {
  const { permitProposals } = today;
  if (!permitProposals?.nodes.length) return null;
  const { nodes, totalCount } = permitProposals;
  return (
    <Section
      title="Suggestions"
      lead={totalCount > nodes.length ? `Shows ${nodes.length} of ${totalCount} proposed permits.` : undefined}
    >
      <Entries>
        {nodes.map(({ id, tool, configurationId, configurationName, principalName }) => (
          <Entry
            key={id}
            to={`/agents/capabilities/configurations/${configurationId}/policy`}
            title={<Untrusted text={`Review a permit for ${tool}`} />}
            about={
              <>
                The same call of <Untrusted text={principalName ?? 'a removed caller'} /> in{' '}
                <Untrusted text={configurationName ?? 'a removed configuration'} /> was approved ten times in a row.
              </>
            }
          />
        ))}
      </Entries>
    </Section>
  );
}
