import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPencil } from '@tabler/icons-react';
import { useParams } from 'react-router';
import { useMay } from '../../kit/me.tsx';
import { Facts } from '../../kit/facts.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { Agents } from './agents.tsx';
import { useChoices } from '../../features/configurations/choices.ts';
import { type Configuration, useConfiguration } from './configuration-query.ts';
import { EditConfiguration } from './edit-configuration.tsx';
import { Names } from './names.tsx';
import { Skills } from './skills.tsx';

export function Component() {
  const { id = '' } = useParams();
  const [result, refetch] = useConfiguration(id);
  return (
    <Loaded result={result} refetch={refetch}>
      {({ configuration }) => (
        <>
          <ConfigurationDetails of={configuration} />
          <Agents of={configuration} />
          <Skills configurationId={id} />
        </>
      )}
    </Loaded>
  );
}

function ConfigurationDetails({ of }: { of: Configuration }) {
  const mayManage = useMay()('configurations:manage');
  const [isOpen, editing] = useDisclosure();
  return (
    <Section
      title="Details"
      actions={
        mayManage && (
          <Button variant="default" size="xs" leftSection={<IconPencil size={14} aria-hidden />} onClick={editing.open}>
            Edit details
          </Button>
        )
      }
    >
      <Facts
        facts={[
          ['Description', of.description ? <Untrusted text={of.description} /> : '–'],
          [
            'Groups with access',
            <Names of={of.groups} none="None. People can't use it from assistants or products." />,
          ],
          ['Language model', <Model id={of.modelConnectionId} />],
          ['Created', <When at={of.createdAt} />],
        ]}
      />
      <EditConfiguration of={of} opened={isOpen} onClose={editing.close} />
    </Section>
  );
}

function Model({ id }: { id: string | null }) {
  const { models } = useChoices();
  if (!id) return 'Server default';
  return models.find(({ value }) => value === id)?.label ?? '–';
}
