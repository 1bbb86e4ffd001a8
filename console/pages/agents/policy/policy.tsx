import { useParams } from 'react-router';
import { Loaded } from '../../../kit/loaded.tsx';
import { PolicyBench } from './policy-bench.tsx';
import { usePolicy } from './policy-query.ts';
import { Revisions } from './revisions.tsx';

export function Component() {
  const { id = '' } = useParams();
  const [asked, again] = usePolicy(id);
  return (
    <Loaded asked={asked} again={again}>
      {({ policy, policyVocabulary, configuration: { agents } }) => (
        <>
          <PolicyBench
            key={id}
            configurationId={id}
            policy={policy}
            vocabulary={{ ...policyVocabulary, agents }}
            again={() => again({ requestPolicy: 'network-only' })}
          />
          <Revisions configurationId={id} policy={policy} />
        </>
      )}
    </Loaded>
  );
}
