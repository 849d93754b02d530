import { CfnOutput, CfnRule, Fn, type Stack } from 'aws-cdk-lib';
import {
  type CfnDomainName,
  DomainName,
  EndpointType,
  IpAddressType,
  type IRestApi,
  type RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import type { DomainSettings } from '../../settings/domain-settings.ts';
import type { Stage } from '../../settings/stages.ts';

/**
 * Adds the custom hostname, if the stage has one, and the output `ApiAddress` with the base URL of the API.
 *
 * @returns the base URL
 */
export function addApiAddress(stack: Stack, api: RestApi, { name, domain }: Stage): string {
  // Remove CDK's own output, because its URL ends with a slash and never has the custom hostname.
  api.node.tryRemoveChild('Endpoint');
  const address = (value: string, description: string) => {
    new CfnOutput(stack, 'ApiAddress', { value, description });
    return value;
  };
  if (domain === undefined) {
    const { region, urlSuffix } = stack;
    return address(
      `https://${api.restApiId}.execute-api.${region}.${urlSuffix}/${name}`,
      'Base URL of the API, with the name of the stage. Paths start with /api/v2/.',
    );
  }
  ownHostname(stack, api, domain);
  return address(`https://${domain.name}`, 'Base URL of the API. Paths start with /api/v2/.');
}

function ownHostname(stack: Stack, api: RestApi, { name, certificateArn, certificateRegion, zone }: DomainSettings) {
  refuseOtherRegion(stack, certificateRegion);
  const hostname = new DomainName(stack, 'Domain', {
    domainName: name,
    certificate: Certificate.fromCertificateArn(stack, 'Certificate', certificateArn),
    endpointType: EndpointType.REGIONAL,
    securityPolicy: SecurityPolicy.TLS_1_2,
    // The cast is necessary because CDK's optional properties are not typed for `exactOptionalPropertyTypes`.
    mapping: api as IRestApi,
  });
  // CDK has no property for the type of IP addresses. Like the API, the hostname supports only IPv4, because the
  // firewall cannot count IPv6 addresses by network.
  const resource = hostname.node.defaultChild as CfnDomainName;
  resource.addPropertyOverride('EndpointConfiguration.IpAddressType', IpAddressType.IPV4);
  if (zone === undefined) {
    new CfnOutput(stack, 'ApiDomainTarget', {
      value: hostname.domainNameAliasDomainName,
      description: `Create a CNAME record for ${name} with this value. Until then, the API is not reachable at ${name}.`,
    });
    return;
  }
  new ARecord(stack, 'Record', {
    zone: HostedZone.fromHostedZoneAttributes(stack, 'Zone', { hostedZoneId: zone.id, zoneName: zone.name }),
    recordName: name,
    target: RecordTarget.fromAlias(new ApiGatewayDomain(hostname)),
  });
}

/**
 * Rejects a certificate of another region, because a regional hostname requires a certificate of its own region.
 * CloudFormation checks this rule before it creates any resource.
 */
function refuseOtherRegion(stack: Stack, region: string): void {
  new CfnRule(stack, 'CertificateIsHere', {
    assertions: [
      {
        assert: Fn.conditionEquals(stack.region, region),
        assertDescription:
          `The certificate of apiDomain is in ${region}, but the deployment is in another region. ` +
          'Use a certificate in the region of the API.',
      },
    ],
  });
}
