import { Injectable } from '@nestjs/common';
import { type ConfigurationSkills, SkillsService } from '../../configurations/skills.service.js';
import { Config } from '../../platform/config/config.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { InputModesService } from '../../tasks/input-modes.service.js';
import { RequiredExtensionsService } from '../../tasks/required-extensions.service.js';
import { CardService } from '../card.service.js';
import { taskDetailsExtension } from './extensions.js';
import type { A2aCaller } from './a2a-operations.service.js';
import { GrpcAddressStore } from './grpc-address-store.service.js';

/**
 * `hybrid`: for clients that request no version: the card of 0.3 with the additional members of 1.0.
 * `0.3 HTTP+JSON`: the ProtoJSON of 0.3's protocol buffers, which writes security differently from the JSON of 0.3.
 */
export type CardForm = '1.0' | '0.3' | '0.3 HTTP+JSON' | 'hybrid';
type CardReader = Pick<A2aCaller, 'principal' | 'configurationId'>;
export interface RenderedProtocolCard {
  text: string;
  tag: string;
  since: Date;
}

const outputModes = ['text/plain', 'application/json'];
const supportedExtensions = [
  {
    uri: taskDetailsExtension,
    description: 'Adds what a task waits for, its approval, and its failure code under "countersign" in the metadata.',
    required: false,
  },
];
/** Number of cards whose `Last-Modified` time is remembered. */
const maxRememberedCards = 1000;

/** The card of the A2A protocol: the facts of the specification's card in the form of the requested version. */
@Injectable()
export class ProtocolCardsService {
  /** By ETag. */
  private readonly firstSeenAt = new Map<string, Date>();

  constructor(
    private readonly skills: SkillsService,
    private readonly cards: CardService,
    private readonly modes: InputModesService,
    private readonly required: RequiredExtensionsService,
    private readonly config: Config,
    private readonly grpcAddressStore: GrpcAddressStore,
  ) {}

  async get({ principal, configurationId }: CardReader, form: CardForm): Promise<object> {
    const offering = await this.skills.list(principal, configurationId);
    const inputModes = await this.modes.listFor(principal, offering.configuration.modelConnectionId);
    const required = await this.required.findFor(principal, configurationId);
    const extensions =
      required === null ? supportedExtensions : [...supportedExtensions, { uri: required, required: true }];
    return this.build(offering, { inputModes, extensions }, form);
  }

  async render(reader: CardReader, form: CardForm): Promise<RenderedProtocolCard> {
    const text = JSON.stringify(await this.get(reader, form));
    const tag = `"${sha256(text).toString('base64url').slice(0, 22)}"`;
    const since = this.firstSeenAt.get(tag) ?? new Date();
    this.firstSeenAt.delete(tag);
    this.firstSeenAt.set(tag, since);
    if (this.firstSeenAt.size > maxRememberedCards) this.firstSeenAt.delete(this.firstSeenAt.keys().next().value!);
    return { text, tag, since };
  }

  private build(
    { configuration, skills }: ConfigurationSkills,
    { inputModes, extensions }: { inputModes: string[]; extensions: object[] },
    form: CardForm,
  ): object {
    const base = `${this.config.a2aUrl}/agents/${configuration.id}`;
    const shared = {
      name: configuration.name,
      description: this.cards.descriptionOf(configuration),
      version: this.cards.version,
      defaultInputModes: inputModes,
      defaultOutputModes: outputModes,
      skills,
    };
    const v03Card = {
      ...shared,
      protocolVersion: '0.3.0',
      url: base,
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [
        { url: base, transport: 'JSONRPC' },
        { url: base, transport: 'HTTP+JSON' },
      ],
      capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false, extensions },
      supportsAuthenticatedExtendedCard: true,
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      security: [{ key: [] }],
    };
    if (form === '0.3') return v03Card;
    const security = {
      securitySchemes: { key: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      requirements: [{ schemes: { key: { list: [] } } }],
    };
    if (form === '0.3 HTTP+JSON') {
      const { stateTransitionHistory: _jsonRpcOnly, ...capabilities } = v03Card.capabilities;
      return { ...v03Card, capabilities, securitySchemes: security.securitySchemes, security: security.requirements };
    }
    const v1Card = {
      ...shared,
      supportedInterfaces: this.interfaces(configuration.id, base),
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true, extensions },
      securitySchemes: security.securitySchemes,
    };
    if (form === '1.0') return { ...v1Card, securityRequirements: security.requirements };
    // `security` alone names the requirement here: a2a-go cannot decode the `{"list": []}` of `securityRequirements` (its issue 430)
    return {
      ...v03Card,
      ...v1Card,
      capabilities: { ...v03Card.capabilities, ...v1Card.capabilities },
      securitySchemes: { key: { ...v03Card.securitySchemes.key, ...v1Card.securitySchemes.key } },
    };
  }

  private interfaces(configurationId: string, base: string): object[] {
    const grpc = this.grpcAddressStore.address;
    return [
      { url: base, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${base}/a2a`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      ...(grpc ? [{ url: grpc, protocolBinding: 'GRPC', protocolVersion: '1.0', tenant: configurationId }] : []),
      { url: base, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      { url: base, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
    ];
  }
}
