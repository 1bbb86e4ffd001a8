import { Stack } from '@mantine/core';
import { useParams } from 'react-router';
import { CopyField } from '../../../kit/copy.tsx';
import { Loaded } from '../../../kit/loaded.tsx';
import { Section } from '../../../kit/section.tsx';
import { useConfiguration } from '../configuration-query.ts';
import { CardPreview } from './card-preview.tsx';
import { Keys } from './keys.tsx';
import { TryIt } from './try-it.tsx';
import { UseIt } from './use-it.tsx';

export function Component() {
  const { id = '' } = useParams();
  const [asked, again] = useConfiguration(id);
  return (
    <Loaded asked={asked} again={again}>
      {({ configuration }) => (
        <>
          <Section title="Connection" lead="External agents need one of these URLs and an API key.">
            <Stack gap="sm">
              <CopyField label="Endpoint URL" value={configuration.a2aUrl} />
              <CopyField label="Agent card URL" value={`${configuration.a2aUrl}/.well-known/agent.json`} />
            </Stack>
          </Section>
          <Keys configuration={configuration} />
          <TryIt configuration={configuration} />
          <UseIt url={configuration.a2aUrl} />
          <CardPreview configurationId={id} agents={configuration.agents} />
        </>
      )}
    </Loaded>
  );
}
