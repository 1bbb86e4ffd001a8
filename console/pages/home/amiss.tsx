import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { HealthBadge } from '../integrations/health.tsx';
import { Entries, Entry } from './entries.tsx';
import type { Today } from './today.ts';

type Connection = NonNullable<Today['connections']>['nodes'][number];

const isUnwell = ({ status, pausedAt }: Connection) => pausedAt !== null || status === 'failed' || status === 'limited';

const unwell = ({ connections }: Today): Connection[] => connections?.nodes.filter(isUnwell) ?? [];

export const hasAmiss = (today: Today): boolean =>
  unwell(today).length > 0 ||
  Boolean(today.heldBackTools?.length || today.unsettled?.totalCount || today.estateFindings?.totalCount);

/** What is not as it should be, for whoever can do something about it. */
export function Amiss({ of: today }: { of: Today }) {
  if (!hasAmiss(today)) return null;
  const { heldBackTools, unsettled, estateFindings } = today;
  return (
    <Section title="To be looked at">
      <Entries>
        {unsettled?.nodes.map(({ id, tool, taskId }) => (
          <Entry
            key={id}
            to={taskId ? `/tasks/${taskId}` : '/tasks'}
            title={<Untrusted text={tool} />}
            about="Nobody knows whether this call happened. Say what became of it."
            aside={<StateBadge state="unsettled" label="Unsettled" />}
          />
        ))}
        {heldBackTools?.slice(0, 3).map(({ id, connectionId, name }) => (
          <Entry
            key={id}
            to={`/integrations/${connectionId}/tools/${id}`}
            title={<Untrusted text={name} />}
            about="Its definition changed since it was confirmed. Read what changed."
            aside={<StateBadge state="waiting" label="Held back" />}
          />
        ))}
        {unwell(today)
          .slice(0, 5)
          .map((connection) => (
            <Entry
              key={connection.id}
              to={`/integrations/${connection.id}`}
              title={<Untrusted text={connection.name} />}
              aside={<HealthBadge of={connection} />}
            />
          ))}
        {estateFindings && estateFindings.totalCount > 0 && (
          <Entry
            to="/estate"
            title={
              estateFindings.totalCount === 1
                ? 'A critical finding in how AI clients are configured'
                : `${estateFindings.totalCount} critical findings in how AI clients are configured`
            }
            aside={<StateBadge state="critical" label="Critical" />}
          />
        )}
      </Entries>
    </Section>
  );
}
