import { Stack } from '@mantine/core';
import { useParams } from 'react-router';
import { CopyField } from '../../../kit/copy.tsx';
import { Loaded } from '../../../kit/loaded.tsx';
import { Section } from '../../../kit/section.tsx';
import { useConfiguration } from '../configuration-query.ts';
import { CardPreview } from './card-preview.tsx';
import { Keys } from './keys.tsx';
import { TestSection } from './test-section.tsx';
import { CodeSamples } from './code-samples.tsx';

export function Component() {
  const { id = '' } = useParams();
  const [result, refetch] = useConfiguration(id);
  return (
    <Loaded asked={result} again={refetch}>
      {({ configuration }) => (
        <>
          <Section title="Connection" lead="External agents need one of these URLs and an API key.">
            <Stack gap="sm">
              <CopyField label="Endpoint URL" value={configuration.a2aUrl} />
              <CopyField label="Agent card URL" value={`${configuration.a2aUrl}/.well-known/agent.json`} />
            </Stack>
          </Section>
          <Keys configuration={configuration} />
          <TestSection configuration={configuration} />
          <CodeSamples url={configuration.a2aUrl} />
          <CardPreview configurationId={id} agents={configuration.agents} />
        </>
      )}
    </Loaded>
  );
}
