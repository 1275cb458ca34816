// libpcap, loaded when a file of packets is read or written.
#include "CPcap.h"

#include <CLazy.h>

static struct lazy_library pcap = {"libpcap.so.0.8", "libpcap0.8", NULL};

#define PCAP_FUNCTION(result, name, parameters, arguments) LAZY_FUNCTION(pcap, result, name, parameters, arguments)

PCAP_FUNCTION(pcap_t *, pcap_open_dead, (int link, int most), (link, most))
PCAP_FUNCTION(pcap_t *, pcap_open_offline, (const char *path, char *problem), (path, problem))
PCAP_FUNCTION(void, pcap_close, (pcap_t * file), (file))
PCAP_FUNCTION(int, pcap_datalink, (pcap_t * file), (file))
PCAP_FUNCTION(const char *, pcap_datalink_val_to_name, (int link), (link))
PCAP_FUNCTION(
    int, pcap_next_ex, (pcap_t * file, struct pcap_pkthdr **header, const u_char **bytes), (file, header, bytes))
PCAP_FUNCTION(char *, pcap_geterr, (pcap_t * file), (file))
PCAP_FUNCTION(pcap_dumper_t *, pcap_dump_fopen, (pcap_t * file, FILE *stream), (file, stream))
PCAP_FUNCTION(
    void, pcap_dump, (u_char * dumper, const struct pcap_pkthdr *header, const u_char *bytes), (dumper, header, bytes))
PCAP_FUNCTION(int, pcap_dump_flush, (pcap_dumper_t * dumper), (dumper))
PCAP_FUNCTION(void, pcap_dump_close, (pcap_dumper_t * dumper), (dumper))
