import { useParams } from 'react-router';
import { useMay } from '../../app/me.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { QuarantinedJobs } from '../../kit/quarantined-jobs.tsx';
import { FeedSection } from './feed-section.tsx';
import { useIntegration } from './integration-query.ts';
import { useKinds } from './kinds.ts';
import { SourceSection } from './source-section.tsx';

export function Component() {
  const { id = '' } = useParams();
  const may = useMay();
  const [asked, again] = useIntegration(id);
  const [catalogue] = useKinds();
  return (
    <Loaded asked={asked} again={again}>
      {({ connection }) => (
        <Loaded asked={catalogue}>
          {({ connectionKinds }) => {
            const { offers = [] } = connectionKinds.find(({ id }) => id === connection.kind) ?? {};
            return (
              <>
                <QuarantinedJobs of={{ connectionId: id }} />
                {offers.includes('knowledge') && may('knowledge:manage') && <SourceSection connectionId={id} />}
                {offers.includes('spend') && may('spend:read') && <FeedSection connectionId={id} />}
              </>
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}
