import type { UseFormReturnType } from '@mantine/form';
import type { Client, Scope } from './client-fields.ts';

export interface ClientValues {
  name: string;
  description: string;
  logoUrl: string;
  contacts: string[];
  type: Client['type'];
  isNative: boolean;
  redirectUris: string[];
  target: Client['target'];
  configurationId: string | null;
  scopes: Scope[];
  authMethod: Client['authMethod'];
}

/** Props of a part of the form. */
export interface ClientFormPart {
  form: UseFormReturnType<ClientValues>;
  fault(field: string): string | undefined;
}

/** The input of the mutations, without values that do not apply. */
export const registrationOf = ({ description, logoUrl, configurationId, ...values }: ClientValues) => ({
  ...values,
  description: description.trim() || null,
  logoUrl: logoUrl.trim() || null,
  configurationId: values.target === 'mcp' ? configurationId : null,
  redirectUris: values.redirectUris.filter(Boolean),
  isNative: values.type === 'public' && values.isNative,
  authMethod: values.type === 'public' ? ('none' as const) : values.authMethod,
});
