import { Stack } from '@mantine/core';
import { useState } from 'react';
import { useParams } from 'react-router';
import { CopyField } from '../../../kit/copy.tsx';
import { Loaded } from '../../../kit/loaded.tsx';
import { Section } from '../../../kit/section.tsx';
import { useConfiguration } from '../configuration-query.ts';
import { ApiKey } from './api-key.tsx';
import { CardPreview } from './card-preview.tsx';
import { CodeSamples } from './code-samples.tsx';
import { Keys } from './keys.tsx';
import type { ShownKey } from './shown-key.ts';
import { TestSection } from './test-section.tsx';

export function Component() {
  const { id = '' } = useParams();
  const [result, refetch] = useConfiguration(id);
  const [shown, show] = useState<ShownKey | null>(null);
  return (
    <Loaded result={result} refetch={refetch}>
      {({ configuration }) => (
        <>
          <Section title="Connection" lead="External agents need one of these URLs and an API key.">
            <Stack gap="sm">
              <CopyField label="Endpoint URL" value={configuration.a2aUrl} />
              <CopyField label="Agent card URL" value={`${configuration.a2aUrl}/.well-known/agent.json`} />
              <ApiKey configuration={configuration} shown={shown} onShow={show} />
            </Stack>
          </Section>
          <Keys configuration={configuration} onShown={show} />
          <TestSection configuration={configuration} />
          <CodeSamples url={configuration.a2aUrl} apiKey={shown?.key ?? null} />
          <CardPreview configurationId={id} agents={configuration.agents} />
        </>
      )}
    </Loaded>
  );
}
