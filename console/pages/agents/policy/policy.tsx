import { useParams } from 'react-router';
import { Loaded } from '../../../kit/loaded.tsx';
import { PolicyEditor } from './policy-editor.tsx';
import { usePolicy } from './policy-query.ts';
import { Revisions } from './revisions.tsx';

export function Component() {
  const { id = '' } = useParams();
  const [result, refetch] = usePolicy(id);
  return (
    <Loaded result={result} refetch={refetch}>
      {({ policy, policyVocabulary, configuration: { name, agents } }) => (
        <>
          <PolicyEditor
            key={id}
            configurationId={id}
            name={name}
            policy={policy}
            vocabulary={{ ...policyVocabulary, agents }}
            refetch={() => refetch({ requestPolicy: 'network-only' })}
          />
          <Revisions configurationId={id} policy={policy} />
        </>
      )}
    </Loaded>
  );
}
