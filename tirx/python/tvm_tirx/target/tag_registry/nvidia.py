# SPDX-License-Identifier: Apache-2.0
"""NVIDIA products: architecture, registers of a block, names."""

from .registry import register_config

_PRODUCTS = (
    (
        "sm_120",
        65536,
        "geforce-rtx-5060-ti",
    ),
    (
        "sm_100a",
        65536,
        "nvidia-b100",
    ),
    (
        "sm_90a",
        65536,
        "nvidia-h100",
    ),
    (
        "sm_89",
        65536,
        "geforce-rtx-4090",
    ),
    (
        "sm_86",
        65536,
        "nvidia-a40 nvidia-a10 nvidia-a10g nvidia-a16 nvidia-a2 rtx-a6000 geforce-rtx-3090-ti "
        "geforce-rtx-3090 geforce-rtx-3080-ti geforce-rtx-3080 geforce-rtx-3070-ti "
        "geforce-rtx-3070 geforce-rtx-3060",
    ),
    (
        "sm_80",
        65536,
        "nvidia-a100 nvidia-a30",
    ),
    (
        "sm_75",
        65536,
        "nvidia-t4 quadro-rtx-8000 quadro-rtx-6000 quadro-rtx-5000 quadro-rtx-4000 rtx-5000 "
        "rtx-4000 rtx-3000 t2000 t1000 nvidia-titan-rtx geforce-rtx-2080-ti geforce-rtx-2080 "
        "geforce-rtx-2070 geforce-rtx-2060",
    ),
    (
        "sm_70",
        65536,
        "nvidia-v100 quadro-gv100 nvidia-titan-v",
    ),
    (
        "sm_62",
        32768,
        "jetson-tx2",
    ),
    (
        "sm_61",
        65536,
        "tesla-p40 tesla-p4 quadro-p6000 quadro-p5000 quadro-p4000 quadro-p2200 quadro-p2000 "
        "quadro-p1000 quadro-p620 quadro-p600 quadro-p400 p620 p520 quadro-p5200 quadro-p4200 "
        "quadro-p3200 quadro-p3000 quadro-p500 nvidia-titan-xp nvidia-titan-x "
        "geforce-gtx-1080-ti geforce-gtx-1080 geforce-gtx-1070-ti geforce-gtx-1070 "
        "geforce-gtx-1060 geforce-gtx-1050",
    ),
    (
        "sm_60",
        65536,
        "tesla-p100 quadro-gp100",
    ),
    (
        "sm_53",
        32768,
        "jetson-nano jetson-tx1 tegra-x1",
    ),
    (
        "sm_52",
        65536,
        "tesla-m60 tesla-m40 quadro-m6000-24gb quadro-m6000 quadro-m5000 quadro-m4000 "
        "quadro-m2000 quadro-m5500m quadro-m2200 quadro-m620 geforce-gtx-titan-x "
        "geforce-gtx-980-ti geforce-gtx-980 geforce-gtx-970 geforce-gtx-960 geforce-gtx-950 "
        "geforce-gtx-980m geforce-gtx-970m geforce-gtx-965m geforce-910m",
    ),
    (
        "sm_50",
        65536,
        "quadro-k2200 quadro-k1200 quadro-k620 quadro-m1200 quadro-m520 quadro-m5000m "
        "quadro-m4000m quadro-m3000m quadro-m2000m quadro-m1000m quadro-k620m quadro-m600m "
        "quadro-m500m nvidia-nvs-810 geforce-gtx-750-ti geforce-gtx-750 geforce-gtx-960m "
        "geforce-gtx-950m geforce-940m geforce-930m geforce-gtx-860m-sm-50 geforce-gtx-850m "
        "geforce-840m geforce-830m",
    ),
    (
        "sm_37",
        65536,
        "tesla-k80",
    ),
    (
        "sm_35",
        65536,
        "tesla-k40 tesla-k20 quadro-k6000 quadro-k5200 quadro-k610m quadro-k510m "
        "geforce-gtx-titan-z geforce-gtx-titan-black geforce-gtx-titan geforce-gtx-780-ti "
        "geforce-gtx-780 geforce-gt-730 geforce-gt-720 geforce-gt-705 geforce-gt-640-gddr5 "
        "geforce-920m",
    ),
    (
        "sm_30",
        65536,
        "tesla-k10 quadro-k5000 quadro-k4200 quadro-k4000 quadro-k2000 quadro-k2000d "
        "quadro-k600 quadro-k420 quadro-410 quadro-k6000m quadro-k5200m quadro-k5100m "
        "quadro-k500m quadro-k4200m quadro-k4100m quadro-k3100m quadro-k2200m quadro-k2100m "
        "quadro-k1100m nvidia-nvs-510 geforce-gtx-770 geforce-gtx-760 geforce-gtx-690 "
        "geforce-gtx-680 geforce-gtx-670 geforce-gtx-660-ti geforce-gtx-660 "
        "geforce-gtx-650-ti-boost geforce-gtx-650-ti geforce-gtx-650 geforce-gt-740 "
        "geforce-gtx-880m geforce-gtx-870m geforce-gtx-860m-sm-30 geforce-gtx-780m "
        "geforce-gtx-770m geforce-gtx-765m geforce-gtx-760m geforce-gtx-680mx "
        "geforce-gtx-680m geforce-gtx-675mx geforce-gtx-670mx geforce-gtx-660m "
        "geforce-gt-755m geforce-gt-750m geforce-gt-650m geforce-gt-745m geforce-gt-645m "
        "geforce-gt-740m geforce-gt-730m geforce-gt-640m geforce-gt-640m-le geforce-gt-735m",
    ),
    (
        "sm_21",
        32768,
        "nvidia-nvs-315 nvidia-nvs-310 nvs-5400m nvs-5200m nvs-4200m geforce-gtx-560-ti "
        "geforce-gtx-550-ti geforce-gtx-460 geforce-gts-450 geforce-gt-730-ddr3,128bit "
        "geforce-gt-640-gddr3 geforce-gt-630 geforce-gt-620 geforce-gt-610 geforce-gt-520 "
        "geforce-gt-440 geforce-gt-430 geforce-820m geforce-800m geforce-gtx-675m "
        "geforce-gtx-670m geforce-gt-635m geforce-gt-630m geforce-gt-625m geforce-gt-720m "
        "geforce-gt-620m geforce-710m geforce-705m geforce-610m geforce-gtx-580m "
        "geforce-gtx-570m geforce-gtx-560m geforce-gt-555m geforce-gt-550m geforce-gt-540m "
        "geforce-gt-525m geforce-gt-520mx geforce-gt-520m geforce-gtx-485m geforce-gtx-470m "
        "geforce-gtx-460m geforce-gt-445m geforce-gt-435m geforce-gt-420m geforce-gt-415m "
        "geforce-410m",
    ),
    (
        "sm_20",
        32768,
        "tesla-c2075 tesla-c2050 tesla-c2070 quadro-plex-7000 geforce-gtx-590 geforce-gtx-580 "
        "geforce-gtx-570 geforce-gtx-480 geforce-gtx-470 geforce-gtx-465 geforce-gtx-480m",
    ),
)

#: Bytes of the second-level cache, where kernels are tuned to it.
_L2_CACHE = {
    "nvidia-a100": 41943040,
    "nvidia-h100": 52428800,
    "nvidia-b100": 52428800,
    "geforce-rtx-5060-ti": 33554432,
    "geforce-rtx-4090": 75497472,
}

for _arch, _registers, _names in _PRODUCTS:
    for _name in _names.split():
        _config = {
            "kind": "cuda",
            "keys": ["cuda", "gpu"],
            "arch": _arch,
            "max_shared_memory_per_block": 49152,
            "max_threads_per_block": 1024,
            "thread_warp_size": 32,
            "registers_per_block": _registers,
        }
        if _name in _L2_CACHE:
            _config["l2_cache_size_bytes"] = _L2_CACHE[_name]
        register_config(f"nvidia/{_name}", _config)
