import { useParams } from 'react-router';
import { useMay } from '../../kit/me.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { QuarantinedJobs } from '../../kit/quarantined-jobs.tsx';
import { SpendSyncSection } from './spend-sync-section.tsx';
import { useIntegration } from './integration-query.ts';
import { useConnectors } from '../../features/integrations/connectors.ts';
import { KnowledgeSyncSection } from './knowledge-sync-section.tsx';
import { WebhookSection } from './webhook-section.tsx';

export function Component() {
  const { id = '' } = useParams();
  const may = useMay();
  const [result, refetch] = useIntegration(id);
  const [connectors] = useConnectors();
  return (
    <Loaded result={result} refetch={refetch}>
      {({ connection }) => (
        <Loaded result={connectors}>
          {({ connectors }) => {
            const connector = connectors.find(({ id }) => id === connection.kind);
            const { offers = [] } = connector ?? {};
            return (
              <>
                <QuarantinedJobs of={{ connectionId: id }} />
                {offers.includes('knowledge') && may('knowledge:manage') && <KnowledgeSyncSection connectionId={id} />}
                <WebhookSection of={connection} connector={connector} />
                {offers.includes('spend') && may('spend:read') && <SpendSyncSection connectionId={id} />}
              </>
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}
