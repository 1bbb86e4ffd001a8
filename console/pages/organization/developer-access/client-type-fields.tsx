import { Checkbox, Radio, Select, Stack, Text } from '@mantine/core';
import { Section } from '../../../kit/section.tsx';
import { authMethodLabels } from './client-fields.ts';
import type { ClientFormPart } from './client-values.ts';

/** Client type and client authentication. */
export function ClientTypeFields({ form, fault, isTypeFixed }: ClientFormPart & { isTypeFixed?: boolean }) {
  const { type, authMethod } = form.values;
  return (
    <Section title="Client type">
      <Stack>
        {isTypeFixed ? (
          <Text size="sm">
            {type === 'public' ? 'Public (PKCE).' : 'Confidential (client secret).'} The type can’t be changed. For
            another type, create a new client.
          </Text>
        ) : (
          <Radio.Group label="Type" required {...form.getInputProps('type')}>
            <Stack gap="xs" mt="xs">
              <Radio
                value="public"
                label="Public (PKCE)"
                description="Browser, mobile, and desktop apps. No client secret."
              />
              <Radio
                value="confidential"
                label="Confidential (backend)"
                description="Server applications. Client secret and PKCE."
              />
            </Stack>
          </Radio.Group>
        )}
        {type === 'public' && (
          <Checkbox
            label="Installed on the user’s device"
            description="Also allows callback URLs at http://localhost and http://127.0.0.1."
            {...form.getInputProps('isNative', { type: 'checkbox' })}
            error={fault('isNative')}
          />
        )}
        {type === 'confidential' && (
          <Select
            label="Client authentication at the token endpoint"
            data={(['client_secret_basic', 'client_secret_post'] as const).map((value) => ({
              value,
              label: authMethodLabels[value],
            }))}
            allowDeselect={false}
            value={authMethod}
            error={fault('authMethod')}
            onChange={(method) => method && form.setFieldValue('authMethod', method)}
          />
        )}
      </Stack>
    </Section>
  );
}
